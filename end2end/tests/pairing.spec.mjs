// A phone is added in the settings, by a code that its camera reads.
import { accessible, expect, test, visit } from '../verbatim.mjs';

test.describe('with a public URL', () => {
  test.use({ args: ['--public-url', 'https://agents.example.org'] });

  test('a code for a phone is shown, and its log-in is listed under the name that was given', async ({ page, verbatim, browser }) => {
    await visit(page, verbatim, '/settings');
    const devices = page.locator('#devices');
    await devices.getByRole('button', { name: 'Add a phone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a phone' });
    await accessible(page);
    await dialog.getByLabel('Name').fill('My phone');
    await dialog.getByRole('button', { name: 'Show the code' }).click();
    await expect(dialog).toBeHidden();
    const shown = page.locator('#paired');
    const link = await shown.locator('.copyline code').innerText();
    expect(link).toMatch(/^https:\/\/agents\.example\.org\/inbox#c=\S+$/);
    const code = shown.getByRole('img', { name: 'QR code' });
    await expect(code).toBeVisible();
    expect(await code.evaluate((image) => image.decode().then(() => image.naturalWidth))).toBeGreaterThan(200);
    await accessible(page);

    // The phone opens the link; here it comes by the name of this machine.
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const there = await phone.newPage();
    await there.goto(link.replace('https://agents.example.org', verbatim.url));
    await expect(there.locator('html[data-ready]')).toBeAttached();
    await expect(there).toHaveURL(`${verbatim.url}/inbox`);
    // The browser says that the page can be installed: then there is a button for it.
    const install = there.getByRole('button', { name: 'Install the app' });
    await expect(install).toBeHidden();
    await there.evaluate(() => {
      const offer = new Event('beforeinstallprompt', { cancelable: true });
      offer.prompt = () => { document.title = 'installing'; };
      dispatchEvent(offer);
    });
    await install.click();
    await expect(there).toHaveTitle('installing');
    await expect(install).toBeHidden();
    await phone.close();
    await page.reload();
    await expect(devices.getByRole('row', { name: 'My phone' })).toBeVisible();
  });
});

test('without a public URL, the settings say what a phone needs', async ({ page, verbatim }) => {
  await visit(page, verbatim, '/settings');
  const devices = page.locator('#devices');
  await expect(devices).toContainText("Phones and other computers don't reach this server");
  await expect(devices.getByRole('button', { name: 'Add a phone' })).toHaveCount(0);
});
